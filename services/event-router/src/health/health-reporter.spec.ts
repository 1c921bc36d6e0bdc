import {
  type ConnectionId,
  ConfigurationReplica,
  type ConnectionState,
  HEALTH_CAUSES,
  type HealthCode,
  type HealthReport,
  instant,
} from '@penstock/contracts';
import { RequestFailed } from '@penstock/messaging';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryRouterStore } from '../store/memory/memory-router-store';
import type { Observation } from '../store/router-store';
import { FakeClock } from '../testing/fake-clock';
import { DESTINATION, WORKSPACE } from '../testing/pipelines.fixture';
import { HealthReporter } from './health-reporter';

const OTHER = 'destination0002' as ConnectionId;
const GONE = 'destination0003' as ConnectionId;

let clock: FakeClock;
let database: MemoryDatabase;
let replica: ConfigurationReplica;
let position: number;
let reports: HealthReport[];
let errors: unknown[];
/** How the pipeline service answers. */
let answer: () => Promise<void>;

const connection = (id: ConnectionId, version: number): ConnectionState => ({
  kind: 'connection',
  id,
  workspace: WORKSPACE,
  name: 'A destination',
  connector: 'http',
  connectorType: 'Application',
  role: 'Destination',
  sendingMode: 'Server',
  settings: '',
  version,
  deleted: false,
  writeKeys: [],
  links: [],
});

const apply = (state: Parameters<ConfigurationReplica['apply']>[0]['state']): void => {
  position += 1;
  replica.apply({ position, state });
};

beforeEach(() => {
  clock = new FakeClock();
  database = new MemoryDatabase(() => clock.wallMs());
  replica = new ConfigurationReplica();
  [position, reports, errors] = [0, [], []];
  answer = () => Promise.resolve();
  apply(connection(DESTINATION, 1));
  apply(connection(OTHER, 1));
});

/** Records it as the pipeline service does. */
const record = ({ code, since, objectVersion, id }: HealthReport): void => {
  const { status } = HEALTH_CAUSES[code];
  const before = replica.healths.get(id);
  apply({
    kind: 'health',
    subject: 'connection',
    id,
    workspace: WORKSPACE,
    version: (before?.version ?? 0) + 1,
    status,
    code,
    since,
    objectVersion,
    changedAt: [...(before?.changedAt ?? []), instant(new Date(clock.wallMs()))],
  });
};

interface Member {
  readonly reporter: HealthReporter;
  readonly store: MemoryRouterStore;
  observed: Observation[];
  looks: number;
}

const enrol = async (name: string): Promise<Member> => {
  const store = new MemoryRouterStore(database, { memberId: name, leaseMs: 1e9 });
  await store.beat(1);
  await clock.advance(1);
  const member: Member = {
    store,
    observed: [],
    looks: 0,
    reporter: new HealthReporter({
      clock,
      store,
      replica,
      look: () => {
        member.looks += 1;
        return member.observed;
      },
      report: async (report) => {
        reports.push(report);
        await answer();
        record(report);
      },
      onError: (error) => errors.push(error),
    }),
  };
  return member;
};

const observation = (code: HealthCode, id = DESTINATION): Observation => ({
  subject: 'connection',
  id,
  code,
  sinceMs: clock.wallMs(),
});

const codes = (): string[] => reports.map(({ id, code }) => `${id} ${code}`);

const base = (code: HealthCode): HealthReport => ({
  subject: 'connection',
  id: DESTINATION,
  code,
  since: instant(new Date(clock.wallMs())),
  objectVersion: 1,
});

it('reports the worst of all routers once, through the oldest of them', async () => {
  const [one, other] = [await enrol('one'), await enrol('other')];
  for (const { reporter } of [other, one]) reporter.start();
  one.observed = [observation('KeysFail'), observation('AccessDenied', OTHER)];
  other.observed = [observation('DestinationFails')];
  await clock.advance(60_000);
  expect(codes()).toEqual([`${DESTINATION} DestinationFails`, `${OTHER} AccessDenied`]);
  expect(reports[0]).toEqual({
    subject: 'connection',
    id: DESTINATION,
    code: 'DestinationFails',
    since: instant(new Date(other.observed[0]!.sinceMs)),
    objectVersion: 1,
  });
  await Promise.all([one, other].map(({ reporter }) => reporter.stop()));
  expect(errors).toEqual([]);
});

it('goes on in the next router when the reporting one is killed, without repeating anything', async () => {
  const [one, other] = [await enrol('one'), await enrol('other')];
  one.observed = [observation('DestinationFails')];
  other.observed = [observation('DestinationFails')];
  for (const { reporter } of [one, other]) reporter.start();
  await clock.advance(10_000);
  expect(codes()).toEqual([`${DESTINATION} DestinationFails`]);
  database.kill('one');
  void one.reporter.stop();
  await clock.advance(60_000);
  expect(codes()).toEqual([`${DESTINATION} DestinationFails`]);
  other.observed = [observation('')];
  await clock.advance(30_000);
  expect(codes()).toEqual([`${DESTINATION} DestinationFails`, `${DESTINATION} `]);
  await other.reporter.stop();
});

it('reports what works again when it has for ten seconds', async () => {
  const member = await enrol('one');
  record(base('DestinationFails'));
  await clock.advance(60_000);
  member.observed = [observation('')];
  await clock.advance(9_999);
  await member.reporter.look();
  expect(codes()).toEqual([]);
  await clock.advance(1);
  await member.reporter.look();
  expect(codes()).toEqual([`${DESTINATION} `]);
});

it('leaves a recorded trouble as it is while no router knows better', async () => {
  const member = await enrol('one');
  record(base('DestinationFails'));
  await clock.advance(3_600_000);
  await member.reporter.look();
  expect(codes()).toEqual([]);
});

it('takes an update of the object for the end of a trouble that no router observes', async () => {
  const member = await enrol('one');
  record(base('AccessDenied'));
  await clock.advance(60_000);
  apply(connection(DESTINATION, 2));
  member.observed = [observation('AccessDenied')];
  await member.reporter.look();
  expect(codes()).toEqual([]);
  member.observed = [];
  await member.reporter.look();
  expect(reports).toEqual([{ ...base(''), objectVersion: 2 }]);
});

const failedWith = (code: string): RequestFailed =>
  new RequestFailed({ name: 'Refusal', code, message: code });

it('reports nothing about what was deleted, and survives a refusal of what is deleted meanwhile', async () => {
  const member = await enrol('one');
  member.observed = [observation('DestinationFails', GONE), observation('DestinationFails')];
  answer = () => Promise.reject(failedWith('ConnectionNotExist'));
  await member.reporter.look();
  expect(codes()).toEqual([`${DESTINATION} DestinationFails`]);
  expect(errors).toEqual([]);
});

describe('of thirty objects', () => {
  const ids = Array.from({ length: 30 }, (_, index) => `destination${String(1_000 + index)}`);
  let member: Member;

  beforeEach(async () => {
    member = await enrol('one');
    for (const id of ids) apply(connection(id as ConnectionId, 1));
    member.observed = ids.map((id) => observation('DestinationFails', id as ConnectionId));
  });

  it('one that cannot be recorded delays no other, and is named', async () => {
    let answered = 0;
    answer = () => {
      answered += 1;
      if (answered === 1) return Promise.reject(failedWith('InternalError'));
      return answered === 2 ? Promise.reject(new Error('no answer')) : Promise.resolve();
    };
    await expect(member.reporter.look()).rejects.toThrow('no answer');
    expect(reports).toHaveLength(30);
    expect([...replica.healths.troubles()]).toHaveLength(28);
    expect(errors).toMatchObject([{ where: { connection: ids[0] } }]);
  });

  it('twenty are tried when none is answered', async () => {
    answer = () => Promise.reject(new Error('no answer'));
    await expect(member.reporter.look()).rejects.toThrow('no answer');
    expect(reports).toHaveLength(20);
  });
});

it('tries again when the pipeline service does not answer, and says so', async () => {
  const member = await enrol('one');
  member.observed = [observation('DestinationFails')];
  answer = () => Promise.reject(new Error('no answer'));
  member.reporter.start();
  await clock.advance(2_000);
  expect(String(errors[0])).toContain('the health of connections and pipelines cannot be recorded');
  answer = () => Promise.resolve();
  await clock.advance(2_000);
  expect(replica.healths.get(DESTINATION)).toMatchObject({ code: 'DestinationFails' });
  await clock.advance(60_000);
  expect(reports).toHaveLength(2);
  await member.reporter.stop();
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
});

it('writes what it observes when that changes, and now and then in case it was removed', async () => {
  const member = await enrol('one');
  const write = jest.spyOn(member.store, 'observe');
  member.reporter.start();
  await clock.advance(28_000);
  expect(member.looks).toBe(14);
  expect(write).toHaveBeenCalledTimes(1);
  member.observed = [observation('Behind')];
  await clock.advance(2_000);
  expect(write).toHaveBeenCalledTimes(2);
  await clock.advance(30_000);
  expect(write).toHaveBeenCalledTimes(3);
  await member.reporter.stop();
});

it('waits for a report under way when it stops, but not for long', async () => {
  const member = await enrol('one');
  member.observed = [observation('DestinationFails')];
  answer = () => new Promise(() => undefined);
  member.reporter.start();
  await clock.advance(2_000);
  const stopped = jest.fn();
  void member.reporter.stop().then(stopped);
  await clock.advance(1_999);
  expect(stopped).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(stopped).toHaveBeenCalled();
});
