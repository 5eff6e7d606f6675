const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A text of somebody else as it may stand in a message or a line of a log: names often come from requests, and owners
 * from other processes. Nothing in them begins a line of its own, moves a cursor or turns the text around.
 */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
