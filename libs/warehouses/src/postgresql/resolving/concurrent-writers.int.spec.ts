import { sharedOldPostgres } from '@penstock/test-servers';
import { itResolvesWhatIsWritten } from '../../platform/resolving-writes.contract';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(120_000);

const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';
const SERVERS = [
  { on: 'the present PostgreSQL', server: () => undefined },
  ...(isFoundForThisMachine ? [{ on: 'PostgreSQL 13', server: () => old }] : []),
];

let old: string | undefined;
let stage: ResolvingStage;

beforeAll(async () => {
  old = await sharedOldPostgres();
});

describe.each(SERVERS)('on $on', ({ server }) => {
  beforeAll(async () => {
    stage = await ResolvingStage.open(server());
  });
  beforeEach(() => stage.empty());
  afterAll(() => stage.close());

  itResolvesWhatIsWritten(() => stage, { rounds: 12, few: 7 });
});
