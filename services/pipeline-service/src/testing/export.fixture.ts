import type { CreatePipeline, KindInput } from '@penstock/contracts';
import { mapping, profiles } from './import.fixture';

const text = { kind: 'string' };

type Members = KindInput & Pick<CreatePipeline, 'filter' | 'transformation' | 'outSchema'>;

/** The schema of a table: the key, and other columns, whose flags are given. */
export const tableSchema = (
  key: Readonly<Record<string, object>>,
  others: Readonly<Record<string, object>>,
  flags: object = { nullable: true },
): string =>
  JSON.stringify({
    kind: 'object',
    properties: [
      ...Object.entries(key).map(([name, type]) => ({ name, type, createRequired: true })),
      ...Object.entries(others).map(([name, type]) => ({ name, type, ...flags })),
    ],
  });

/** Writes the e-mail addresses and names of profiles into a table. */
export const TO_DATABASE: Members = {
  filter: null,
  inSchema: profiles('email', 'first_name'),
  transformation: mapping({ mail: 'email', name: 'first_name' }),
  outSchema: tableSchema({ mail: text }, { name: text }),
  tableName: 'people',
  tableKey: 'mail',
};

/** The schema of users: the property by which they are found, and others. */
export const userSchema = (
  matching: object,
  others: Readonly<Record<string, object>> = { name: text },
): string =>
  JSON.stringify({
    kind: 'object',
    properties: [
      matching,
      ...Object.entries(others).map(([name, type]) => ({ name, type, nullable: true })),
    ],
  });

/** Writes the names of profiles to users of an application that have their e-mail addresses. */
export const TO_APPLICATION: Members = {
  filter: null,
  inSchema: profiles('email', 'first_name'),
  transformation: mapping({ name: 'first_name' }),
  outSchema: userSchema({ name: 'mail', type: text, createRequired: true }),
  exportMode: 'CreateOrUpdate',
  matching: { in: 'email', out: 'mail' },
};

/** Writes the same into a file. */
export const TO_FILE: Members = {
  filter: null,
  transformation: null,
  outSchema: null,
  inSchema: profiles('email', 'first_name'),
  format: 'csv',
  path: 'out/${today}.csv',
  orderBy: 'email',
};
