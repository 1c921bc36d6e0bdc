/** A step into the value of a map's key, within a path such as `phones["home"].area`. */
export const keyStep = (key: string): string => `[${JSON.stringify(key)}]`;

/** The last one may be cut off. */
const KEY_STEPS = /\["(?:[^"\\]|\\.)*(?:"\]|.*$)/gs;

/** Leaves the keys of maps, which may be values of persons, out of a text with paths. Names of properties have no quotes. */
export const withoutKeys = (text: string): string => text.replace(KEY_STEPS, '[…]');
