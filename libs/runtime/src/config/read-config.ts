import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CannotStart } from '../start/cannot-start';
import type { Variable } from './variable';

/** Name → how it is read. Libraries and services spread each other's tables into their own. */
export type Variables = Readonly<Record<string, Variable<unknown, unknown>>>;

/** What {@link readConfig} makes of a table: the same names, typed values, frozen. */
export type Config<Table extends Variables> = {
  readonly [Name in keyof Table]: Table[Name] extends Variable<infer Value, infer Fallback>
    ? Value | Fallback
    : never;
};

/** A rule over several variables: returns what is wrong, naming variables only; undefined when they are valid. */
export type ConfigRule<Values> = (config: Values) => string | undefined;

/** Nothing starts on a bad configuration. Names what is bad, all of it at once; never a value. */
export class ConfigurationError extends CannotStart {
  override readonly name: string = 'ConfigurationError';
  constructor(readonly faults: readonly string[]) {
    super(`bad configuration: ${faults.join('; ')}`);
  }
}

/** Variables as the environment has them. */
export type Source = Readonly<Record<string, string | undefined>>;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The environment proper goes before the `.env` file of the working directory. */
const withEnvFile = (env: Source, folder: string): Source => {
  try {
    return { ...parseEnv(readFileSync(resolve(folder, '.env'), 'utf8')), ...env };
  } catch (error) {
    if (isMissing(error)) return env;
    throw new ConfigurationError(['.env must be a readable file']);
  }
};

class Fault {
  constructor(readonly text: string) {}
}

/** A file's last line break is the editor's, not the value's. */
const readValueFile = (name: string, file: string, folder: string): string | Fault => {
  try {
    return readFileSync(resolve(folder, file), 'utf8').replace(/\r?\n$/, '');
  } catch {
    return new Fault(`${name}_FILE must name a readable file`);
  }
};

const textOf = (name: string, source: Source, folder: string): string | Fault => {
  const [text, file] = [source[name] ?? '', source[`${name}_FILE`] ?? ''];
  if (text !== '' && file !== '') return new Fault(`${name} and ${name}_FILE exclude each other`);
  return file === '' ? text : readValueFile(name, file, folder);
};

const valueOf = (
  name: string,
  variable: Variable<unknown, unknown>,
  source: Source,
  folder: string,
): unknown => {
  const text = textOf(name, source, folder);
  if (text instanceof Fault) return text;
  if (text === '') return variable.fallback;
  return variable.parse(text) ?? new Fault(`${name} must be ${variable.expects}`);
};

/** Further demands of {@link readConfig}. */
export interface ReadOptions {
  /** Where `.env` and relative file names are looked up; default: the working directory. */
  readonly folder?: string;
  /** Finds faults in the variables themselves, such as names that nobody knows; default: finds none. */
  readonly faultsIn?: (source: Source) => readonly string[];
}

/**
 * Reads and checks a table of variables: from the environment, from files that `<NAME>_FILE` names, and from
 * `.env` in the working directory. A variable set to nothing counts as not set. Called once per process.
 *
 * @param rules  what must hold between variables; evaluated only when each one by itself is valid.
 * @throws ConfigurationError naming every fault.
 */
export const readConfig = <Table extends Variables>(
  env: Source,
  table: Table,
  rules: readonly ConfigRule<Config<Table>>[] = [],
  { folder = process.cwd(), faultsIn = () => [] }: ReadOptions = {},
): Config<Table> => {
  const source = withEnvFile(env, folder);
  const entries = Object.entries(table).map(
    ([name, variable]) => [name, valueOf(name, variable, source, folder)] as const,
  );
  const faults = [
    ...entries.flatMap(([, value]) => (value instanceof Fault ? [value.text] : [])),
    ...faultsIn(source),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
  const config = Object.freeze(Object.fromEntries(entries)) as Config<Table>;
  const broken = rules.flatMap((rule) => rule(config) ?? []);
  if (broken.length > 0) throw new ConfigurationError(broken);
  return config;
};
