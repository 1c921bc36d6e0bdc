import type { CreatePipeline, KindInput } from '@penstock/contracts';

const text = { kind: 'string' };

/** A schema of an import's side: its names with their types, and more. */
export const schemaOf = (
  members: Readonly<Record<string, object>>,
  flags: object = {},
): Required<KindInput>['inSchema'] =>
  JSON.stringify({
    kind: 'object',
    properties: Object.entries(members).map(([name, type]) => ({ name, type, ...flags })),
  });

/** A part of the schema of profiles. */
export const profiles = (...names: readonly string[]): string =>
  schemaOf(Object.fromEntries(names.map((name) => [name, text])), { readOptional: true });

/** Text of a transformation that is a mapping. */
export const mapping = (keys: Readonly<Record<string, string>>): string =>
  JSON.stringify({ mapping: keys });

type Members = KindInput & Pick<CreatePipeline, 'filter' | 'transformation' | 'outSchema'>;

/** Reads the e-mail addresses of the application `dummy`. */
export const APPLICATION: Members = {
  filter: null,
  transformation: mapping({ email: 'email' }),
  inSchema: schemaOf({ email: { kind: 'string', maxLength: 254 } }),
  outSchema: profiles('email'),
};

/** Reads a table. */
export const DATABASE: Members = {
  ...APPLICATION,
  query: 'SELECT id, email, changed FROM users WHERE changed >= ${updated_at} LIMIT ${limit}',
  userIDColumn: 'id',
  updatedAtColumn: 'changed',
  inSchema: schemaOf({
    id: { kind: 'int', bitSize: 32 },
    email: text,
    changed: { kind: 'datetime' },
  }),
};

/** Reads a file of texts. */
export const FILE: Members = {
  ...APPLICATION,
  format: 'csv',
  path: 'in/users.csv',
  userIDColumn: 'id',
  updatedAtColumn: 'changed',
  updatedAtFormat: 'ISO8601',
  inSchema: schemaOf({ id: text, email: text, changed: text }),
};
