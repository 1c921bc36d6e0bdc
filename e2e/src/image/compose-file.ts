import { load } from 'js-yaml';

/** A service of a compose file, as far as the specs look at it. */
export interface ComposeService {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{(\w+)(?::([?-])([^}]*))?\}/g;

/** Variables of a compose file, and whether it does not start without them. */
export const variablesOf = (text: string): ReadonlyMap<string, boolean> =>
  new Map([...text.matchAll(VARIABLE)].map(([, name = '', sign]) => [name, sign === '?']));

const valueOf = (text: string, env: Env): string =>
  text.replace(VARIABLE, (_, name: string, sign: string, rest = '') => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    if (sign === '?') throw new Error(`${name}: ${String(rest)}`);
    return String(rest);
  });

const withValues = (node: unknown, env: Env): unknown => {
  if (typeof node === 'string') return valueOf(node, env);
  if (Array.isArray(node)) return node.map((each: unknown) => withValues(each, env));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, each]: [string, unknown]) => [name, withValues(each, env)]),
  );
};

/**
 * Reads a compose file, and replaces the variables in its values as Docker Compose does.
 *
 * @throws Error when a variable is missing that has no default.
 */
export const readCompose = (text: string, env: Env): ComposeFile =>
  withValues(load(text), env) as ComposeFile;

/** The services that run the image of this repository. */
export const ownServices = ({
  services,
}: ComposeFile): readonly (readonly [string, ComposeService])[] =>
  Object.entries(services).filter(([, { build }]) => build !== undefined);
