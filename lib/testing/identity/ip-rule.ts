const BITS = 32;

interface IpRule {
  readonly address: number;
  readonly bits: number;
}

/** Whether a server accepts `rule` (`10.0.0.0/8`, `127.0.0.1`). Like a real server, it refuses IPv6. */
export function isIpRule(rule: string): boolean {
  return parseRule(rule) !== undefined;
}

export function ipMatches(address: string, rule: string): boolean {
  const parsed = parseRule(rule);
  const candidate = parseAddress(address);
  if (parsed === undefined || candidate === undefined) return false;
  const mask = parsed.bits === 0 ? 0 : -1 << (BITS - parsed.bits);
  return ((parsed.address ^ candidate) & mask) === 0;
}

function parseRule(rule: string): IpRule | undefined {
  const slash = rule.indexOf('/');
  const address = parseAddress(slash < 0 ? rule : rule.slice(0, slash));
  const bits = slash < 0 ? BITS : parseNumber(rule.slice(slash + 1));
  if (address === undefined || bits === undefined || bits > BITS) return undefined;
  return { address, bits };
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.').map(parseNumber);
  if (parts.length !== 4) return undefined;
  let address = 0;
  for (const part of parts) {
    if (part === undefined || part > 255) return undefined;
    address = (address << 8) | part;
  }
  return address;
}

/** The non-negative numbers that Java's `parseInt` accepts. */
function parseNumber(text: string): number | undefined {
  return /^\+?\d{1,9}$/.test(text) || /^-0+$/.test(text) ? Math.abs(Number(text)) : undefined;
}
