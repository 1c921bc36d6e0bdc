import { showingOutput } from '../harness/installation';
import { sized } from '../router-faults/sizes';
import { applicationExports } from './application-exports.part';
import { applications } from './applications.part';
import { databaseImports } from './database-imports.part';
import { databases } from './databases.part';
import { exportsOfProfiles } from './exports.part';
import { files } from './files.part';
import { functions } from './functions.part';
import { imports } from './imports.part';
import { mcpServer } from './mcp.part';
import { Place, type Survivor } from './place';
import { profilesOfPeople } from './profiles.part';
import { runs } from './runs.part';
import { sdks } from './sdks.part';
import { storedFiles } from './stored-files.part';
import { suppressedUsers } from './suppressed-users.part';
import { warehouse } from './warehouse.part';

// One installation for all parts, which workspaces keep apart; it is killed once, in the middle of all that goes on then.
jest.setTimeout(600_000);

let opened: Place;
const place = (): Place => opened;

beforeAll(async () => {
  opened = await Place.open();
});

const simpleParts: Readonly<Record<string, (place: () => Place) => void>> = {
  // Only the database of one process has a warehouse that nobody has set.
  ...sized({ warehouse }, {}),
  imports,
  files,
  databases,
  applications,
  'suppressed users': suppressedUsers,
  SDKs: sdks,
  MCP: mcpServer,
};
for (const [name, define] of Object.entries(simpleParts))
  describe(name, () => {
    define(place);
  });

const ofProfiles = profilesOfPeople(place);
const ofTables = databaseImports(place);
const survivors: readonly Survivor[] = [
  runs(place),
  storedFiles(place),
  ofTables,
  exportsOfProfiles(place),
  applicationExports(place),
  functions(place),
  ofProfiles,
];

describe('killed in the middle of all kinds of work', () => {
  it('has begun each of them', () =>
    showingOutput(
      () => opened.installation,
      async () => {
        await Promise.all(survivors.map((each) => each.begin()));
        const { services } = opened.installation;
        await Promise.all(services.map((service) => service.kill9()));
        await Promise.all(services.map((service) => service.start()));
      },
    )());

  it.each(survivors)('goes on: $what', ({ end }) =>
    showingOutput(() => opened.installation, end)(),
  );
});

describe('afterwards', () => {
  ofProfiles.afterwards();
  ofTables.afterwards();
});

// Hooks run in the order of the file: those of the parts close their connections before the databases end.
afterAll(() => opened.close());
