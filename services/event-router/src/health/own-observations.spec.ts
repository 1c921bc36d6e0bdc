import type { ConnectionId, HealthCode, PipelineId } from '@penstock/contracts';
import { FakeClock } from '../testing/fake-clock';
import type { FunctionCircuit } from '../sending/functions';
import type { ObservedLane } from './lane-codes';
import { OwnObservations } from './own-observations';

const LANE = 'destination0001' as ConnectionId;
const PIPELINE = 'pipeline0000001' as PipelineId;

let clock: FakeClock;
let state: ObservedLane['health']['state'];
let successes: number;
let rejections: [PipelineId, boolean][];
let circuits: FunctionCircuit[];
let recorded: Partial<Record<string, HealthCode>>;
let own: OwnObservations;

beforeEach(() => {
  clock = new FakeClock();
  [state, successes, rejections, circuits, recorded] = ['flowing', 0, [], [], {}];
  const lane: ObservedLane = {
    destination: LANE,
    get health() {
      return { state, isSuspect: false, successes };
    },
    flow: { troubled: [] },
    parts: [],
  };
  own = new OwnObservations({
    clock,
    lanes: {
      [Symbol.iterator]: () => [lane].values(),
      get circuits() {
        return circuits;
      },
    },
    versionOf: () => 2,
    rejections: { look: () => rejections },
    recordedOf: (id) => recorded[id] ?? '',
  });
});

const ofLane = (code: HealthCode, sinceMs: number) => ({
  subject: 'connection',
  id: LANE,
  code,
  sinceMs,
});

it('are since when they were first made', async () => {
  const beginMs = clock.wallMs();
  state = 'circuit';
  expect(own.look()).toEqual([ofLane('DestinationFails', beginMs)]);
  await clock.advance(2_000);
  expect(own.look()).toEqual([ofLane('DestinationFails', beginMs)]);
  state = 'paused';
  expect(own.look()).toEqual([ofLane('AccessDenied', beginMs + 2_000)]);
});

it('say that something works only while a trouble is recorded of it', () => {
  rejections = [[PIPELINE, false]];
  successes = 1;
  expect(own.look()).toEqual([]);
  recorded = { [LANE]: 'DestinationFails' };
  expect(own.look()).toEqual([ofLane('', clock.wallMs())]);
  recorded = { [PIPELINE]: 'ManyRejected' };
  const ofPipeline = { subject: 'pipeline', id: PIPELINE, sinceMs: clock.wallMs() };
  expect(own.look()).toEqual([{ ...ofPipeline, code: '' }]);
  rejections = [[PIPELINE, true]];
  expect(own.look()).toEqual([{ ...ofPipeline, code: 'ManyRejected' }]);
});

describe('of a pipeline with a function', () => {
  const circuit = (of: FunctionCircuit['state'], version = 2): FunctionCircuit => ({
    pipeline: PIPELINE,
    version,
    state: of,
  });
  const codes = () => own.look().map(({ code }) => code);

  it('say that it exceeds its time limit, whatever was rejected, and only of its newest version', () => {
    circuits = [circuit('open', 1), circuit('unknown')];
    expect(codes()).toEqual([]);
    rejections = [[PIPELINE, true]];
    expect(codes()).toEqual(['ManyRejected']);
    circuits = [circuit('open')];
    expect(codes()).toEqual(['FunctionTimesOut']);
    rejections = [];
    expect(codes()).toEqual(['FunctionTimesOut']);
  });

  it('say that it works again when its last turn has ended by itself', () => {
    recorded = { [PIPELINE]: 'FunctionTimesOut' };
    circuits = [circuit('unknown')];
    expect(codes()).toEqual([]);
    circuits = [circuit('closed')];
    expect(codes()).toEqual(['']);
    rejections = [[PIPELINE, true]];
    expect(codes()).toEqual(['ManyRejected']);
    [recorded, rejections] = [{ [PIPELINE]: 'ManyRejected' }, []];
    expect(codes()).toEqual([]);
  });
});
