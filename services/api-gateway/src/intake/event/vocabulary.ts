import { leafOf, type Leaf } from './leaf';

/** A name of the event schema; for the name `Other`, the original name besides. */
export interface NamedLeaves {
  readonly name: Leaf;
  readonly other: Leaf | undefined;
}

/** Normalises a name for comparison: `Chrome OS`, `chromeos` and `ChromeOS` are equal. */
const keyOf = (name: string): string => name.toLowerCase().replace(/\s/g, '');

const vocabulary = (
  names: readonly string[],
  synonyms: Readonly<Record<string, string>>,
): ((given: string) => NamedLeaves) => {
  const known = new Map(names.map((name) => [keyOf(name), leafOf(name)]));
  for (const [synonym, name] of Object.entries(synonyms)) known.set(keyOf(synonym), leafOf(name));
  return (given) => {
    const name = known.get(keyOf(given));
    return name === undefined ? { name: OTHER, other: leafOf(given) } : { name, other: undefined };
  };
};

export const OTHER = leafOf('Other');

/** Maps names of browsers, ignoring case. The synonyms are those of user-agent parsers. */
export const browserNamed = vocabulary(
  ['Chrome', 'Safari', 'Edge', 'Firefox', 'Samsung Internet', 'Opera', 'Other'],
  {
    'Microsoft Edge': 'Edge',
    'Samsung Internet for Android': 'Samsung Internet',
    'Mobile Safari': 'Safari',
    'Chrome Mobile': 'Chrome',
    'Firefox Mobile': 'Firefox',
    'Opera Mobile': 'Opera',
  },
);

/** Maps names of operating systems, ignoring case. */
export const osNamed = vocabulary(
  ['Android', 'Windows', 'iOS', 'macOS', 'Linux', 'Chrome OS', 'Other'],
  { darwin: 'macOS', 'Mac OS': 'macOS', 'Mac OS X': 'macOS', iPadOS: 'iOS', CrOS: 'Chrome OS' },
);
