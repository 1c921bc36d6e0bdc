import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionId, CreatePipeline, PipelineId } from '@penstock/contracts';

/** The file that the demo imports, below the root of the storage of files. */
const FILE = 'demo-customers.csv';

const CUSTOMERS = `id,email,first_name,last_name,plan,changed
1,Ada@Example.com,Ada,Lovelace,pro,2026-01-05T09:30:00Z
2,grace@example.com,Grace,Hopper,pro,2026-01-07T14:00:00Z
3,katherine@example.com,Katherine,Johnson,free,2026-01-09T08:15:00Z
4,Margaret@Example.com,Margaret,Hamilton,pro,2026-02-01T10:45:00Z
5,radia@example.com,Radia,Perlman,none,2026-02-03T16:20:00Z
6,barbara@example.com,Barbara,Liskov,free,2026-02-11T11:05:00Z
`;

/** Makes the folder, and the file in it unless it is there already. */
export const writeCustomers = async (root: string): Promise<void> => {
  await mkdir(root, { recursive: true });
  try {
    await writeFile(join(root, FILE), CUSTOMERS, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

const properties = (names: readonly string[], flags: object = {}): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, ...flags })),
  });

/** A pipeline that imports the customers with a plan; later runs read only those that were changed. */
export const customersPipeline = (id: PipelineId, connection: ConnectionId): CreatePipeline => ({
  id,
  connection,
  target: 'User',
  eventType: null,
  name: 'Customers',
  enabled: true,
  incremental: true,
  format: 'csv',
  path: FILE,
  formatSettings: JSON.stringify({ hasColumnNames: true }),
  userIDColumn: 'id',
  updatedAtColumn: 'changed',
  updatedAtFormat: 'ISO8601',
  filter: JSON.stringify({
    logical: 'and',
    conditions: [{ property: 'plan', operator: 'is not', values: ['none'] }],
  }),
  transformation: JSON.stringify({
    mapping: { email: 'lower(email)', first_name: 'first_name', last_name: 'last_name' },
  }),
  inSchema: properties(['id', 'email', 'first_name', 'last_name', 'plan', 'changed']),
  outSchema: properties(['email', 'first_name', 'last_name'], { readOptional: true }),
});
