/** What a search prints as one line of JSON: first each seed as it begins, then how it ended. */
export type SearchReport =
  | { readonly kind: 'begun'; readonly seed: number }
  | { readonly kind: 'found'; readonly seed: number; readonly how: string; readonly sentence: string }
  | { readonly kind: 'nothing'; readonly seed: number };
