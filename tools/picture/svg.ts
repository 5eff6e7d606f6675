type Attributes = Readonly<Record<string, string | number>>;

/** An element; its content must be SVG already. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(rounded(value))}"`);
  return content.length === 0
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

/** The tooltip of an element. */
export function title(text: string): string {
  return element('title', {}, escaped(text));
}

export function label(x: number, y: number, text: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escaped(text));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function rounded(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;
}
