import { answering, type Behaviour, healthy, refusing } from './behaviours';
import type { FanOutEvent } from './fan-out-event';
import type { Plan } from './plan';

/** Characters that PostgreSQL does not accept in texts: NUL, and unpaired surrogates. */
const STRANGE = 'a\u0000b \ud800 c \udc00';

const isPicked = ({ user, number }: FanOutEvent): boolean => (7 * user + number) % 25 === 3;

/** Two sources and three destinations, with pipelines that deliver, filter, reject and retry: the smallest plan with fan-out. */
export const CRASH_PLAN: Plan = {
  sources: [
    [0, 1, 2],
    [0, 1, 2],
  ],
  destinations: [
    { name: 'healthy', batchSize: 100, usual: healthy(), troubles: [] },
    {
      name: 'picky',
      batchSize: 1,
      usual: refusing(isPicked),
      isRefused: isPicked,
      troubles: [],
    },
    { name: 'failing', batchSize: 20, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'healthy-all', destination: 0, transformation: 'mapping' },
    { name: 'healthy-off', destination: 0, transformation: 'mapping', enabled: false },
    { name: 'picky-buy', destination: 1, transformation: 'mapping', only: ['Buy', 'Scroll'] },
    { name: 'failing-look', destination: 2, transformation: 'mapping', only: ['Look'] },
    {
      name: 'failing-bad',
      destination: 2,
      transformation: 'function',
      only: ['Bad', 'Scroll'],
      throws: STRANGE,
    },
  ],
};

/** Answers 503 with a text that PostgreSQL cannot store. */
export const failing: Behaviour = (events) => ({ ...answering(503)(events), text: STRANGE });
