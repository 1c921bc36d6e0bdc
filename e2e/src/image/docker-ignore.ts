/** One line of a `.dockerignore`. */
interface Rule {
  readonly matches: RegExp;
  /** Whether it takes back what earlier lines have left out. */
  readonly isException: boolean;
}

/** The signs of a pattern, longest first: any folders, any characters of a name, one of them. */
const SIGNS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '*': '[^/]*',
  '?': '[^/]',
};

const ruleOf = (line: string): Rule => {
  const isException = line.startsWith('!');
  const pattern = isException ? line.slice(1) : line;
  const parts = pattern.split(/(\*\*\/|\*|\?)/);
  const source = parts.map((part) => SIGNS[part] ?? part.replace(/[.+^$()[\]{}|\\]/g, '\\$&'));
  return { matches: new RegExp(`^${source.join('')}(?:/.*)?$`), isException };
};

/**
 * Whether Docker leaves a path out of the files that it builds from. A pattern matches from the top, and all that is
 * below what it matches; the last line that matches decides.
 *
 * @param text of the `.dockerignore`.
 */
export const ignoredBy = (text: string): ((path: string) => boolean) => {
  const lines = text.split('\n').map((line) => line.trim());
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#')).map(ruleOf);
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.isException === false;
};
