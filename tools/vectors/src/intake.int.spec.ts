import { join } from 'node:path';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { listsOf } from './case-file';
import { EVENTS_FILE } from './case-files';
import { eventsFile, peerOf } from './events-file';
import { type IntakeStand, startIntakeStand } from './intake-stand';
import { readCaseFile } from './read-case-file';
import { runList } from './run-list';

const FOLDER = join(__dirname, '../../../conformance');

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

it('handles events as the worked cases require', async () => {
  const file = await readCaseFile(FOLDER, EVENTS_FILE);
  const stand: IntakeStand = await startIntakeStand(database.url, peerOf(file));
  try {
    for (const list of listsOf(EVENTS_FILE, file, eventsFile(stand))) {
      const { passed, differences } = await runList(list);
      expect(differences).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    }
  } finally {
    await stand.stop();
  }
});
