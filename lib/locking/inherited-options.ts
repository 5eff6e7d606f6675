/**
 * A copy that has the inherited properties `names` too, such as the getters of a class of a configuration: a spread, and
 * Nest, copy only what an object itself has, so that these would silently mean their defaults.
 */
export function withInherited<Options extends object>(names: readonly string[], given: Options): Options {
  const inherited = names.filter((name) => name in given && !Object.hasOwn(given, name));
  return { ...Object.fromEntries(inherited.map((name) => [name, Reflect.get(given, name)])), ...given };
}
