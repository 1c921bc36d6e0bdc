import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { type IntakeStand, startIntakeStand } from './intake-stand';

/** Runs `use` with intake over a new database, which is dropped afterwards. */
export const withIntake = async <T>(
  peer: string,
  use: (stand: IntakeStand) => Promise<T>,
): Promise<T> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'penstock-vectors-'));
  try {
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      const stand = await startIntakeStand(postgres.url, peer);
      return await use(stand).finally(() => stand.stop());
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};
