const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Escapes untrusted text for error messages and log lines: names often come from requests, and owners from other
 * processes. The result cannot start a new line, move the cursor or reverse the text.
 */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
