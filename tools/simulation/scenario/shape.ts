/** Returns the value if it has the shape; otherwise throws an error that says where the value is and what it must be. */
export type Shape<T> = (value: unknown, where: string) => T;

function wrong(where: string, expected: string, value: unknown): Error {
  return new Error(`${where} must be ${expected}: got ${JSON.stringify(value) ?? 'nothing'}`);
}

export const text: Shape<string> = (value, where) => {
  if (typeof value === 'string') return value;
  throw wrong(where, 'a text', value);
};

export const flag: Shape<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value;
  throw wrong(where, 'true or false', value);
};

export const number: Shape<number> = (value, where) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrong(where, 'a number', value);
};

/** JSON has no `Infinity`. */
export const numberOrInfinity: Shape<number> = (value, where) => {
  if (value === 'Infinity') return Infinity;
  if (typeof value === 'number') return value;
  throw wrong(where, 'a number or "Infinity"', value);
};

export function oneOf<const T extends string>(...names: readonly T[]): Shape<T> {
  return (value, where) => {
    const found = names.find((name) => name === value);
    if (found !== undefined) return found;
    throw wrong(where, `one of ${names.join(', ')}`, value);
  };
}

export function listOf<T>(shape: Shape<T>): Shape<T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) throw wrong(where, 'a list', value);
    return value.map((item: unknown, index) => shape(item, `${where}[${index}]`));
  };
}

type Fields<T> = { readonly [K in keyof T]-?: Shape<Exclude<T[K], undefined>> };

/** Fields that are absent from `optional` are required. Fields that no shape is given for are refused. */
export function objectOf<T extends object>(fields: Fields<T>, optional: readonly (keyof T)[] = []): Shape<T> {
  return (value, where) => {
    if (typeof value !== 'object' || value === null) throw wrong(where, 'an object', value);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) throw new Error(`${where} must not have a field ${unknown}`);
    const given = value as Partial<Record<string, unknown>>;
    const names = Object.keys(fields).filter(
      (name) => given[name] !== undefined || !optional.includes(name as keyof T),
    );
    const shapes = fields as Record<string, Shape<unknown>>;
    const checked = names.map((name) => [name, shapes[name]?.(given[name], `${where}.${name}`)]);
    return Object.fromEntries(checked) as T;
  };
}
