import type {
  Instant,
  ResolutionFact,
  ResolutionId,
  ResolutionTrigger,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import fc from 'fast-check';
import { type Resolution, type ResolutionCommand, resolutionDecider } from './resolution.decide';

const { given } = specify(resolutionDecider);

const ID = 'workspace0000001' as WorkspaceId;
const NOW = '2026-03-01T09:30:00.000Z' as Instant;

const starting = (resolution: string) => ({
  resolution: resolution as ResolutionId,
  startedAt: NOW,
  actor: 'system',
});

const trigger = (name: ResolutionTrigger, full: boolean): ResolutionCommand => ({
  type: 'Trigger',
  id: ID,
  wanted: { trigger: name, full },
});

const start = (resolution: string, full = false): ResolutionCommand => ({
  type: 'Start',
  id: ID,
  wanted: { trigger: 'API', full },
  ...starting(resolution),
});

const end = (resolution: string, status: 'Succeeded' | 'Failed' | 'Cancelled') =>
  ({
    type: 'End',
    end: { resolution: resolution as ResolutionId, status, error: '', endedAt: NOW },
  }) as const;

const triggered = (name: ResolutionTrigger, full: boolean): ResolutionFact => ({
  type: 'ResolutionTriggered',
  data: { id: ID, trigger: name, full },
});

const started = (resolution: string, name: ResolutionTrigger, full: boolean): ResolutionFact => ({
  type: 'ResolutionStarted',
  data: { id: ID, trigger: name, full, ...starting(resolution) },
});

const cancelRequested = (resolution: string): ResolutionFact => ({
  type: 'ResolutionCancelRequested',
  data: { resolution: resolution as ResolutionId },
});

const ended = (
  resolution: string,
  status: 'Succeeded' | 'Failed' | 'Cancelled',
): ResolutionFact => ({
  type: 'ResolutionEnded',
  data: end(resolution, status).end,
});

describe('triggers that wait', () => {
  it('become one, which is full when one of them is', () => {
    given().when(trigger('Import', false)).then(triggered('Import', false));
    given(triggered('Import', false)).when(trigger('Events', false)).thenNothing();
    given(triggered('Import', false))
      .when(trigger('Settings', true))
      .then(triggered('Settings', true));
    given(triggered('Settings', true)).when(trigger('Repair', true)).thenNothing();
    given(triggered('Settings', true)).when(trigger('Import', false)).thenNothing();
  });

  it('wait while one is live, and start after it', () => {
    const live = [started('r1', 'Import', false), triggered('Events', false)];
    given(...live)
      .when({ type: 'StartWaiting', ...starting('r2') })
      .thenNothing();
    given(...live, ended('r1', 'Succeeded'))
      .when({ type: 'StartWaiting', ...starting('r2') })
      .then(started('r2', 'Events', false));
    given()
      .when({ type: 'StartWaiting', ...starting('r1') })
      .thenNothing();
  });

  it('are a part of one that a caller starts', () => {
    given(triggered('Settings', true))
      .when(start('r1'))
      .then(started('r1', 'API', true));
    given(triggered('Settings', true), started('r1', 'API', true), ended('r1', 'Succeeded'))
      .when({ type: 'StartWaiting', ...starting('r2') })
      .thenNothing();
  });
});

it('is refused to a caller while one is live', () => {
  given(started('r1', 'API', false))
    .when(start('r2'))
    .thenRefused('OperationAlreadyExecuting');
  given(started('r1', 'API', false), cancelRequested('r1'))
    .when(start('r2'))
    .thenRefused('OperationAlreadyExecuting');
});

describe('the live one', () => {
  const live = started('r1', 'Settings', true);

  it('is cancelled once', () => {
    given().when({ type: 'Cancel' }).thenNothing();
    given(live).when({ type: 'Cancel' }).then(cancelRequested('r1'));
    given(live, cancelRequested('r1')).when({ type: 'Cancel' }).thenNothing();
  });

  it('waits again when it is suspended, unless it was cancelled before', () => {
    given().when({ type: 'Suspend' }).thenNothing();
    given(live).when({ type: 'Suspend' }).then(triggered('Settings', true), cancelRequested('r1'));
    given(live, triggered('Repair', true)).when({ type: 'Suspend' }).then(cancelRequested('r1'));
    given(live, cancelRequested('r1')).when({ type: 'Suspend' }).thenNothing();
  });

  it('ends once', () => {
    given(live).when(end('r1', 'Failed')).then(ended('r1', 'Failed'));
    given(live, ended('r1', 'Failed')).when(end('r1', 'Succeeded')).thenNothing();
    given(live).when(end('r2', 'Succeeded')).thenNothing();
  });
});

it.each(['Failed', 'Cancelled'] as const)('a full one that has %s is owed', (status) => {
  const past = [started('r1', 'Settings', true), ended('r1', status)];
  given(...past)
    .when(start('r2'))
    .then(started('r2', 'API', true));
  given(...past, started('r2', 'API', true), ended('r2', 'Succeeded'))
    .when(start('r3'))
    .then(started('r3', 'API', false));
  given(started('r1', 'Import', false), ended('r1', status))
    .when(start('r2'))
    .then(started('r2', 'API', false));
});

/** What a step of a history does; resolutions are numbered as they start. */
type Step = 'trigger' | 'triggerFull' | 'start' | 'go' | 'cancel' | 'suspend' | 'succeed' | 'fail';

const commandOf = (step: Step, resolution: string, next: string): ResolutionCommand => {
  switch (step) {
    case 'trigger':
    case 'triggerFull':
      return trigger('Settings', step === 'triggerFull');
    case 'start':
      return start(next);
    case 'go':
      return { type: 'StartWaiting', ...starting(next) };
    case 'cancel':
      return { type: 'Cancel' };
    case 'suspend':
      return { type: 'Suspend' };
    case 'succeed':
      return end(resolution, 'Succeeded');
    case 'fail':
      return end(resolution, 'Failed');
  }
};

const decided = (command: ResolutionCommand, state: Resolution): ResolutionFact[] => {
  try {
    return resolutionDecider.decide(command, state);
  } catch {
    return [];
  }
};

it('has at most one live, and each full trigger is followed by a full one that succeeds or can', () => {
  const steps = fc.constantFrom<Step>(
    ...(['trigger', 'triggerFull', 'start', 'go', 'cancel', 'suspend', 'succeed', 'fail'] as const),
  );
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), (all) => {
      let state: Resolution = null;
      let live: string | null = null;
      let isFullWanted = false;
      let [count, wanted] = [0, false];
      for (const step of all) {
        const command = commandOf(step, live ?? '', `r${String(count + 1)}`);
        wanted ||= step === 'trigger' || step === 'triggerFull';
        isFullWanted ||= step === 'triggerFull';
        for (const fact of decided(command, state)) {
          if (fact.type === 'ResolutionStarted') {
            expect(live).toBeNull();
            count += 1;
            live = fact.data.resolution;
            wanted = false;
            if (isFullWanted) expect(fact.data.full).toBe(true);
          }
          if (fact.type === 'ResolutionCancelRequested' && step === 'suspend') wanted = true;
          if (fact.type === 'ResolutionEnded') {
            if (fact.data.status === 'Succeeded') isFullWanted = state?.waiting?.full === true;
            live = null;
          }
          state = resolutionDecider.evolve(state, fact);
        }
        expect(state?.live?.resolution ?? null).toBe(live);
        expect(state?.waiting != null).toBe(wanted);
      }
    }),
    { numRuns: 500 },
  );
});
