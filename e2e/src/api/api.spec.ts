import { randomBytes } from 'node:crypto';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { startDatabase } from '../harness/database';
import { EmbeddedInstallation } from '../harness/embedded-installation';
import { Receiver } from '../harness/receiver';
import { WITHOUT_DRIVER } from '../harness/without-driver';
import { AREAS, OPERATED, ORGANIZATION } from './areas';
import { LIMITS } from './areas/limits';
import {
  matrixText,
  rowsInBoth,
  rowsLostElsewhere,
  rowsWithoutTest,
  testsWithoutRow,
} from './matrix';
import type { Run, Table } from './table';
import { World } from './world';

jest.setTimeout(180_000);

let folder: string;
let database: EmbeddedPostgres;
let installation: EmbeddedInstallation;
/** An installation with low limits. */
let limited: EmbeddedInstallation;
/** An installation in an external database, which the tests can change. */
let operated: EmbeddedInstallation;
let receiver: Receiver;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-e2e-'));
  // As root, the database runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  [installation, limited, database, receiver] = await Promise.all([
    EmbeddedInstallation.start(WITHOUT_DRIVER),
    EmbeddedInstallation.start(LIMITS),
    startDatabase(folder),
    Receiver.open(),
  ]);
  operated = await EmbeddedInstallation.start({
    DATABASE_URL: database.url,
    PENSTOCK_SECRET: randomBytes(32).toString('hex'),
  });
});

afterAll(async () => {
  await installation.destroy();
  await limited.destroy();
  await operated.destroy();
  await database.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.stdout.write(matrixText());
});

const casesOf = (table: Table): [row: string, run: Run][] =>
  Object.entries(table).flatMap(([row, test]): [string, Run][] =>
    typeof test === 'function'
      ? [[row, test]]
      : Object.entries(test).map(([name, run]) => [`${row}: ${name}`, run]),
  );

const testsOf =
  (place: () => EmbeddedInstallation) =>
  (_: string, table: Table): void => {
    let world: World;

    beforeAll(async () => {
      world = await World.make({ installation: place(), receiver, databaseUrl: database.url });
    });

    it.each(casesOf(table))('%s', async (...[, run]) => {
      await run(world);
    });
  };

describe.each(Object.entries(AREAS))(
  '%s',
  testsOf(() => installation),
);

describe.each(Object.entries(ORGANIZATION))(
  '%s',
  testsOf(() => limited),
);

describe.each(Object.entries(OPERATED))(
  '%s',
  testsOf(() => operated),
);

describe('the matrix', () => {
  it('has a test for every row, and a row for every test', () => {
    expect(rowsWithoutTest()).toEqual([]);
    expect(testsWithoutRow()).toEqual([]);
    expect(rowsInBoth()).toEqual([]);
    expect(rowsLostElsewhere()).toEqual([]);
  });
});
