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

/**
 * Reads a compose file with its variables replaced, as Docker Compose does.
 *
 * @throws Error when a variable is missing that has no default.
 */
export const readCompose = (text: string, env: Env): ComposeFile => {
  const replaced = text.replace(VARIABLE, (_, name: string, sign: string, rest = '') => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    if (sign === '?') throw new Error(`${name}: ${String(rest)}`);
    return String(rest);
  });
  return load(replaced) as ComposeFile;
};

/** The services that run the image of this repository. */
export const ownServices = ({
  services,
}: ComposeFile): readonly (readonly [string, ComposeService])[] =>
  Object.entries(services).filter(([, { build }]) => build !== undefined);
