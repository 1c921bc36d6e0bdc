import { HEALTH_CAUSES, type HealthReport, instant } from '@penstock/contracts';
import { FanOut } from './testing/fan-out.fixture';
import { functionState, WORKSPACE } from './testing/pipelines.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

const NAMES = ['healthy', 'failing', 'denied', 'refusing'] as const;

let fanOut: FanOut<(typeof NAMES)[number]>;

beforeEach(async () => {
  fanOut = await FanOut.open(NAMES);
  await fanOut.configure();
});

afterEach(() => fanOut.close());

/** What has been reported since the call before, once each, in order. */
const reported = (from: number): string[] => [
  ...new Set(fanOut.installation.reports.slice(from).map(({ id, code }) => `${id} ${code}`.trim())),
];

/** Publishes it as the pipeline service does, as if it had been recorded a minute ago. */
const record = ({ subject, id, code, since, objectVersion }: HealthReport): Promise<void> =>
  fanOut.installation.configure({
    kind: 'health',
    subject,
    id,
    workspace: WORKSPACE,
    status: HEALTH_CAUSES[code].status,
    code,
    since,
    objectVersion,
    version: 1,
    changedAt: [instant(new Date(Date.now() - 60_000))],
  });

it('of each destination and pipeline is reported by one of two routers, and its end by the other when the first has left', async () => {
  const { installation, receivers } = fanOut;
  const startMs = Date.now();
  receivers.failing.answer = () => 503;
  receivers.denied.answer = () => 401;
  receivers.refusing.answer = () => 400;
  const first = await installation.start({ backoffCapMs: 500 });
  const second = await installation.start({ backoffCapMs: 500 });
  await installation.accept(...fanOut.events(70));
  const troubles = [
    'destination-denied AccessDenied',
    'destination-failing DestinationFails',
    'pipeline-refusing ManyRejected',
  ];
  await until(() => reported(0).length >= troubles.length);
  expect(reported(0).sort()).toEqual(troubles);
  const reports = new Map(installation.reports.map((each) => [each.id, each]));
  for (const report of reports.values()) {
    expect(report.objectVersion).toBe(1);
    expect(Date.parse(report.since)).toBeGreaterThanOrEqual(startMs);
    expect(Date.parse(report.since)).toBeLessThanOrEqual(Date.now());
    await record(report);
  }

  await first.close();
  const before = installation.reports.length;
  receivers.failing.answer = () => 200;
  receivers.denied.answer = () => 200;
  await installation.configure({ ...fanOut.settingsOf('denied'), version: 2 });
  await installation.accept(...fanOut.events(70, 70));
  await until(() => receivers.failing.taken.length === 140);
  await until(() => receivers.denied.taken.length === 140);
  await until(() => reported(before).length >= 2);
  expect(reported(before).sort()).toEqual(['destination-denied', 'destination-failing']);
  await second.close();
  expect(receivers.healthy.taken.length).toBe(140);
});

it('of a pipeline whose function never ends is reported, and that it ends again', async () => {
  const { installation } = fanOut;
  const endless = functionState(
    `const transform = ({ event, properties }) => { for (; event === 'Endless';); return { properties }; }`,
    { id: fanOut.pipeline('healthy'), connection: fanOut.destination('healthy'), version: 2 },
  );
  await installation.configure(endless);
  await installation.start({}, installation.runnerOf(2_000));
  const event = (number: number, name: string) => ({
    user: 'one',
    messageId: `function-${number}`,
    event: name,
  });
  await installation.accept(...[1, 2, 3].map((number) => event(number, 'Endless')));
  const ofFunction = () =>
    installation.reports.filter(({ id }) => id === endless.id).map(({ code }) => code);
  await until(() => ofFunction().includes('FunctionTimesOut'));
  const [report] = installation.reports.filter(({ id }) => id === endless.id);
  expect(report).toMatchObject({ subject: 'pipeline', objectVersion: 2 });
  await record(report!);
  let number = 3;
  // On a busy machine a quick one may exceed its time as well.
  await until(async () => {
    number += 1;
    await installation.accept(event(number, 'Quick'));
    return ofFunction().includes('');
  });
  expect(new Set(ofFunction())).toEqual(new Set(['FunctionTimesOut', '']));
});
