import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Installation } from '../harness/installation';
import { tableTexts } from '../harness/table-texts';
import { topicTexts } from '../harness/topic-texts';

/** The folder of PostgreSQL, which is left out: its tables are read with SQL. */
const CLUSTER = 'postgres';

/** Texts of the files that processes have written below the folder, logs included. */
const fileTexts = (folder: string): [string, string][] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === CLUSTER ? [] : fileTexts(path);
    return [[join(basename(folder), entry.name), readFileSync(path, 'latin1')]];
  });

const OPERATIONS = ['healthz', 'readyz', 'metrics'];

const operationsTexts = ({ services }: Installation): Promise<[string, string][]> =>
  Promise.all(
    services.flatMap(({ name, opsAddress }) =>
      OPERATIONS.map(async (path): Promise<[string, string]> => {
        const response = await fetch(`${opsAddress}/${path}`);
        return [`${path} of ${name}`, await response.text()];
      }),
    ),
  );

/** Everything that an installation has written, and that it shows to operators, by place. */
export const placesOf = async (installation: Installation): Promise<Map<string, string>> => {
  const { folder, brokers, databaseUrl } = installation;
  return new Map([
    ...fileTexts(folder),
    ...(await operationsTexts(installation)),
    ...(await tableTexts(databaseUrl)),
    ...(brokers.length > 0 ? await topicTexts(brokers) : []),
  ]);
};
