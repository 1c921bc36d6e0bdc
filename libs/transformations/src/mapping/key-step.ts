/** A step into the value of a map's key, within a path such as `phones["home"].area`. */
export const keyStep = (key: string): string => `[${JSON.stringify(key)}]`;

/** The last one may be cut off. */
const KEY_STEPS = /\["(?:[^"\\]|\\.)*(?:"\]|.*$)/gs;

/** Leaves the keys of maps out of a text with paths: they are values of persons, and names of properties have no quotes. */
export const withoutKeys = (text: string): string => text.replace(KEY_STEPS, '[…]');
