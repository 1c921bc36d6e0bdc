import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reachEmbeddedPostgres } from './reach-embedded-postgres';

it('creates no database in a folder that holds none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-reach-'));
  await expect(reachEmbeddedPostgres(folder)).rejects.toMatchObject({ code: 'NoCluster' });
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
