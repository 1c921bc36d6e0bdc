import {
  type AlertId,
  type AlertState,
  ConfigurationReplica,
  type ConfigurationState,
  type ConnectionId,
  HEALTH_CAUSES,
  type HealthCode,
  type HealthState,
  type Instant,
  type NotificationId,
  type PipelineId,
  type PipelineState,
  type RunControlState,
} from '@penstock/contracts';
import type {
  AlertTurn,
  PipelineMeasure,
  Standing,
  WatchedObject,
} from '../store/alerts/alert-store';
import { destinationState } from '../testing/installation.fixture';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { MIN_ENDINGS } from './condition';
import { decideAlerts } from './decide-alerts';
import { pipelinesToMeasure } from './watched-pipelines';
import { ALERT, alertState } from '../testing/alerts.fixture';

const [SHOP, MAIL] = ['shop000000000001', 'mail000000000001'] as ConnectionId[] as [
  ConnectionId,
  ConnectionId,
];
const [CARTS, ORDERS, LETTERS] = [
  'carts00000000001',
  'orders0000000001',
  'letters000000001',
] as PipelineId[] as [PipelineId, PipelineId, PipelineId];

const pipeline = (id: PipelineId, connection: ConnectionId, deleted = false): PipelineState =>
  pipelineState({ id, connection, deleted, version: deleted ? 2 : 1 });

const recorded = (id: string, code: HealthCode, subject: HealthState['subject']): HealthState => ({
  kind: 'health',
  subject,
  id: id as PipelineId,
  workspace: WORKSPACE,
  status: HEALTH_CAUSES[code].status,
  code,
  since: '2026-03-01T09:30:00.000Z' as HealthState['since'],
  objectVersion: 1,
  version: 1,
  changedAt: [],
});

const BASE: readonly ConfigurationState[] = [
  {
    kind: 'workspace',
    id: WORKSPACE,
    organization: 'organization' as never,
    name: 'Main',
    version: 1,
    deleted: false,
  },
  { ...destinationState('https://example.com', {}, SHOP), name: 'Shop' },
  { ...destinationState('https://example.com', {}, MAIL), name: 'Mail' },
  pipeline(CARTS, SHOP),
  pipeline(ORDERS, SHOP),
  pipeline(LETTERS, MAIL),
];

const configured = (...states: readonly ConfigurationState[]): ConfigurationReplica => {
  const replica = new ConfigurationReplica();
  [...BASE, ...states].forEach((state, index) => {
    replica.apply({ position: index + 1, state });
  });
  return replica;
};

const held = (id: string, subject: WatchedObject['subject'] = 'pipeline'): WatchedObject => ({
  alert: ALERT,
  workspace: WORKSPACE,
  subject,
  id: id as PipelineId,
});

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

let ids = 0;
const decided = (
  replica: ConfigurationReplica,
  standing: Partial<Standing> = {},
): readonly AlertTurn[] =>
  decideAlerts(replica, { nowMs: NOW, holding: [], measures: null, ...standing }, () => {
    ids += 1;
    return `n${String(ids)}` as NotificationId;
  });

const said = (turns: readonly AlertTurn[]): string[] =>
  turns.map(({ id, change, notification }) =>
    [id, change, ...(notification === null ? ['untold'] : [])].join(' '),
  );

describe('health', () => {
  it.each<[HealthCode, string[]]>([
    ['DestinationFails', [`${SHOP} Began`]],
    ['AccessDenied', [`${SHOP} Began`]],
    ['KeysFail', []],
    ['Unstable', []],
    ['', []],
  ])('with the code %p begins: %j', (code, turns) => {
    expect(said(decided(configured(alertState(), recorded(SHOP, code, 'connection'))))).toEqual(
      turns,
    );
  });

  it.each<[HealthCode, string[]]>([
    ['DestinationFails', []],
    ['KeysFail', []],
    ['', [`${SHOP} Ended`]],
  ])('that holds, with the code %p ends: %j', (code, turns) => {
    const replica = configured(alertState(), recorded(SHOP, code, 'connection'));
    expect(said(decided(replica, { holding: [held(SHOP, 'connection')] }))).toEqual(turns);
  });

  it('of a whole workspace is that of each connection and of each pipeline', () => {
    const replica = configured(
      alertState(),
      recorded(SHOP, 'DestinationFails', 'connection'),
      recorded(LETTERS, 'FunctionTimesOut', 'pipeline'),
    );
    expect(said(decided(replica)).sort()).toEqual([`${LETTERS} Began`, `${SHOP} Began`]);
  });

  it('of one connection is that of the connection and its pipelines', () => {
    const troubles = [
      recorded(SHOP, 'DestinationFails', 'connection'),
      recorded(CARTS, 'FunctionTimesOut', 'pipeline'),
      recorded(LETTERS, 'FunctionTimesOut', 'pipeline'),
    ];
    const of = (connection: ConnectionId) =>
      said(decided(configured(alertState({ connection }), ...troubles))).sort();
    expect(of(SHOP)).toEqual([`${CARTS} Began`, `${SHOP} Began`]);
    expect(of(MAIL)).toEqual([`${LETTERS} Began`]);
  });

  it('of one pipeline is the worse of its own and that of its connection', () => {
    const alert = alertState({ pipeline: CARTS });
    const failing = recorded(SHOP, 'DestinationFails', 'connection');
    expect(said(decided(configured(alert, failing)))).toEqual([`${CARTS} Began`]);
    const worse = configured(alert, failing, recorded(CARTS, 'ManyRejected', 'pipeline'));
    expect(said(decided(worse))).toEqual([`${CARTS} Began`]);
    const holding = [held(CARTS)];
    const better = configured(alert, recorded(CARTS, 'ManyRejected', 'pipeline'));
    expect(said(decided(better, { holding }))).toEqual([]);
    expect(said(decided(configured(alert), { holding }))).toEqual([`${CARTS} Ended`]);
  });

  it('is told with why, since when and what to do', () => {
    const code = 'DestinationFails';
    const replica = configured(alertState(), recorded(SHOP, code, 'connection'));
    const [began] = decided(replica);
    expect(JSON.parse(began!.notification!.body)).toEqual({
      id: began!.notification!.id,
      workspace: WORKSPACE,
      alert: { id: ALERT, name: 'An alert', kind: 'health', threshold: null, window: null },
      change: 'Began',
      at: '2026-03-01T10:00:00.000Z',
      connection: SHOP,
      pipeline: null,
      name: 'Shop',
      health: { code, since: '2026-03-01T09:30:00.000Z', ...HEALTH_CAUSES[code] },
      value: null,
    });
    const well = configured(alertState(), recorded(SHOP, '', 'connection'));
    const [ended] = decided(well, { holding: [held(SHOP, 'connection')] });
    expect(JSON.parse(ended!.notification!.body)).toMatchObject({
      change: 'Ended',
      health: { status: 'Healthy', since: '2026-03-01T09:30:00.000Z' },
    });
  });
});

describe('runs', () => {
  const AT = '2026-03-01T09:45:00.000Z' as Instant;

  const lastRun = (
    status: NonNullable<RunControlState['last']>['status'] | null,
    message = '',
  ): RunControlState => ({
    kind: 'runs',
    id: CARTS,
    workspace: WORKSPACE,
    version: 1,
    schedule: null,
    scheduledAt: null,
    live: null,
    cursor: null,
    lastSlot: null,
    lastSkipped: null,
    last: status === null ? null : { status, at: AT, message },
  });

  it.each([
    ['fails', lastRun('Failed'), true],
    ['is forbidden by the mode', lastRun('Skipped', 'mode'), true],
    ['is left out since another one is live', lastRun('Skipped', 'live'), false],
    ['succeeds', lastRun('Succeeded'), false],
    ['is cancelled', lastRun('Cancelled'), false],
    ['has not been yet', lastRun(null), false],
  ])('a run that %s is told once, and holds as long', (_, control, isTrouble) => {
    for (const alert of [
      alertState(),
      alertState({ pipeline: CARTS }),
      alertState({ connection: SHOP }),
    ]) {
      const replica = configured(alert, control);
      expect(said(decided(replica))).toEqual(isTrouble ? [`${CARTS} Began`] : []);
      const holding = [held(CARTS)];
      expect(said(decided(replica, { holding }))).toEqual(isTrouble ? [] : [`${CARTS} Ended`]);
    }
  });

  it('are told with why and since when, and when they are well again', () => {
    const [began] = decided(configured(alertState(), lastRun('Failed')));
    expect(JSON.parse(began!.notification!.body)).toMatchObject({
      pipeline: CARTS,
      connection: null,
      health: { code: 'RunFailed', since: AT, ...HEALTH_CAUSES.RunFailed },
    });
    const well = configured(alertState(), lastRun('Succeeded'));
    const [ended] = decided(well, { holding: [held(CARTS)] });
    expect(JSON.parse(ended!.notification!.body)).toMatchObject({
      change: 'Ended',
      health: { status: 'Healthy', since: AT },
    });
  });

  it('are no second trouble of a pipeline that has one', () => {
    const replica = configured(
      alertState(),
      lastRun('Failed'),
      recorded(CARTS, 'FunctionTimesOut', 'pipeline'),
    );
    expect(said(decided(replica))).toEqual([`${CARTS} Began`]);
    const other = configured(
      alertState(),
      lastRun('Succeeded'),
      recorded(CARTS, 'FunctionTimesOut', 'pipeline'),
    );
    expect(said(decided(other, { holding: [held(CARTS)] }))).toEqual([]);
  });

  it('of a deleted pipeline, another connection or another workspace are not told', () => {
    const failed = lastRun('Failed');
    expect(said(decided(configured(alertState(), failed, pipeline(CARTS, SHOP, true))))).toEqual(
      [],
    );
    expect(said(decided(configured(alertState({ connection: MAIL }), failed)))).toEqual([]);
    const elsewhere = { ...failed, workspace: 'workspace0000009' as typeof WORKSPACE };
    expect(said(decided(configured(alertState(), elsewhere)))).toEqual([]);
  });
});

const measure = (all: number, deadLetters: number, lagSeconds = 0): PipelineMeasure => ({
  endings: {
    5: { all, deadLetters },
    15: { all: 1_000, deadLetters: 0 },
    60: { all: 1_000, deadLetters: 1_000 },
  },
  lagSeconds,
});

const rate = (threshold: number, members: Partial<AlertState> = {}) =>
  alertState({ alertKind: 'deadLetterRate', threshold, window: 5, ...members });
const lag = (threshold: number) => alertState({ alertKind: 'lag', threshold });

describe('measures', () => {
  const turnsOf = (alert: AlertState, found: PipelineMeasure, holding: WatchedObject[] = []) =>
    said(decided(configured(alert), { measures: new Map([[CARTS, found]]), holding }));

  it.each<[number, number, number, string[]]>([
    [10, MIN_ENDINGS, 2, [`${CARTS} Began`]],
    [10, MIN_ENDINGS - 1, MIN_ENDINGS - 1, []],
    [10, 100, 10, [`${CARTS} Began`]],
    [10, 100, 9, []],
    [100, 100, 100, [`${CARTS} Began`]],
    [100, 100, 99, []],
    [1, 0, 0, []],
  ])('a share of dead letters with threshold %d begins with %d endings, %d dead: %j', (...row) => {
    const [threshold, all, dead, turns] = row;
    expect(turnsOf(rate(threshold), measure(all, dead))).toEqual(turns);
  });

  it.each<[number, number, string[]]>([
    [100, 5, []],
    [1_000, 49, [`${CARTS} Ended`]],
    [4, 1, []],
    [0, 0, [`${CARTS} Ended`]],
  ])('a share above 10 percent ends with %d endings, %d dead: %j', (all, dead, turns) => {
    expect(turnsOf(rate(10), measure(all, dead), [held(CARTS)])).toEqual(turns);
  });

  it('a share is taken of the minutes of the alert', () => {
    expect(turnsOf(rate(1, { window: 15 }), measure(100, 100))).toEqual([]);
    expect(turnsOf(rate(100, { window: 60 }), measure(100, 0))).toEqual([`${CARTS} Began`]);
  });

  it.each<[number, string[], string[]]>([
    [60, [`${CARTS} Began`], []],
    [59, [], []],
    [30, [], []],
    [29, [], [`${CARTS} Ended`]],
  ])('a lag of %d s, with threshold 60, begins: %j, ends: %j', (seconds, begins, ends) => {
    expect(turnsOf(lag(60), measure(0, 0, seconds))).toEqual(begins);
    expect(turnsOf(lag(60), measure(0, 0, seconds), [held(CARTS)])).toEqual(ends);
  });

  it('are told with the value', () => {
    const measures = new Map([[CARTS, measure(300, 100)]]);
    const [began] = decided(configured(rate(10)), { measures });
    expect(JSON.parse(began!.notification!.body)).toMatchObject({
      alert: { kind: 'deadLetterRate', threshold: 10, window: 5 },
      pipeline: CARTS,
      value: 33.33,
      health: null,
    });
  });

  it('change nothing as long as there are none', () => {
    expect(said(decided(configured(lag(1)), { holding: [held(CARTS)] }))).toEqual([]);
  });

  it('of a pipeline that was not measured change nothing', () => {
    const standing = { measures: new Map(), holding: [held(CARTS)] };
    expect(said(decided(configured(lag(1)), standing))).toEqual([]);
  });

  it('are asked for of the pipelines that enabled alerts watch, each once', () => {
    const asked = (...alerts: readonly AlertState[]): string[] =>
      pipelinesToMeasure(configured(...alerts))
        .map(({ pipeline: id }) => id)
        .sort();
    const another = { id: 'alert00000000002' as AlertId };
    expect(asked()).toEqual([]);
    expect(asked(alertState())).toEqual([]);
    expect(asked({ ...lag(1), enabled: false })).toEqual([]);
    expect(asked({ ...lag(1), connection: SHOP })).toEqual([CARTS, ORDERS]);
    expect(asked({ ...lag(1), pipeline: LETTERS })).toEqual([LETTERS]);
    expect(asked(lag(1), { ...rate(1), ...another })).toEqual([CARTS, LETTERS, ORDERS]);
  });
});

describe('what holds for an object', () => {
  const holding = [held(CARTS)];
  const measures = new Map([[CARTS, measure(0, 0, 100)]]);

  it('ends with a notification when the object is deleted, or not watched any more', () => {
    const gone = configured(lag(60), pipeline(CARTS, SHOP, true));
    expect(said(decided(gone, { holding, measures }))).toEqual([`${CARTS} Ended`]);
    const narrowed = configured({ ...lag(60), connection: MAIL });
    expect(said(decided(narrowed, { holding, measures }))).toEqual([`${CARTS} Ended`]);
    const unhealthy = configured(
      alertState(),
      recorded(CARTS, 'FunctionTimesOut', 'pipeline'),
      pipeline(CARTS, SHOP, true),
    );
    expect(said(decided(unhealthy, { holding }))).toEqual([`${CARTS} Ended`]);
    expect(said(decided(unhealthy))).toEqual([]);
  });

  it('ends without one when the alert is disabled, deleted or forgotten', () => {
    for (const members of [{ enabled: false }, { deleted: true }])
      expect(said(decided(configured({ ...lag(60), ...members }), { holding, measures }))).toEqual([
        `${CARTS} Ended untold`,
      ]);
    expect(said(decided(configured(), { holding, measures }))).toEqual([`${CARTS} Ended untold`]);
  });
});
