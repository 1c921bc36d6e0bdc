export const print = (line = ''): void => void process.stdout.write(`${line}\n`);

export const cells = (...values: readonly (string | number)[]): string =>
  `| ${values.map((value) => (typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 1 }) : value)).join(' | ')} |`;

export const heading = (...titles: readonly string[]): string =>
  [cells(...titles), cells(...titles.map(() => '---'))].join('\n');

/** The number after `--name`. */
export const option = (name: string, fallback: number): number => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : Number(process.argv[index + 1]);
};

/** The text after `--name`. */
export const textOption = (name: string): string | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
};

/** Whether `--name` is given. */
export const flag = (name: string): boolean => process.argv.includes(`--${name}`);
