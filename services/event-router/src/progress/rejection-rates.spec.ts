import type { PipelineId } from '@penstock/contracts';
import { type Counted, countKey } from '../store/changes';
import { FakeClock } from '../testing/fake-clock';
import { MIN_ENDED, RejectionRates } from './rejection-rates';

const PIPELINE = 'pipeline00000a' as PipelineId;
const OTHER = 'pipeline00000b' as PipelineId;
const MINUTE_MS = 60_000;

let clock: FakeClock;
let rates: RejectionRates;

beforeEach(() => {
  clock = new FakeClock();
  rates = new RejectionRates(clock);
});

const end = (state: Counted['state'], count: number, pipeline = PIPELINE): void => {
  const key = countKey(pipeline, { state, step: 'Finalize', code: '400' }, 0);
  rates.add({ counts: new Map([[key, count]]) });
};

const look = (): Record<string, boolean> => Object.fromEntries(rates.look());

it('says nothing before enough deliveries have ended', () => {
  end('Rejected', MIN_ENDED - 1);
  end('Matched', 100);
  end('Duplicate', 100);
  expect(look()).toEqual({});
  end('Rejected', 1);
  expect(look()).toEqual({ [PIPELINE]: true });
});

it.each([
  [9, false],
  [10, true],
])('%i of 100 rejected are many: %s', (rejected, areMany) => {
  end('Rejected', rejected);
  end('Delivered', 90 - rejected);
  end('Parked', 10);
  end('Delivered', 100, OTHER);
  expect(look()).toEqual({ [PIPELINE]: areMany, [OTHER]: false });
});

it('stay many until less than half of that are rejected', () => {
  end('Rejected', 10);
  end('Delivered', 90);
  expect(look()).toEqual({ [PIPELINE]: true });
  end('Delivered', 100);
  expect(look()).toEqual({ [PIPELINE]: true });
  end('Delivered', 1);
  expect(look()).toEqual({ [PIPELINE]: false });
  end('Rejected', 5);
  expect(look()).toEqual({ [PIPELINE]: false });
});

it('are those of the last five minutes', async () => {
  end('Rejected', 50);
  await clock.advance(2.5 * MINUTE_MS);
  expect(look()).toEqual({ [PIPELINE]: true });
  end('Delivered', 19);
  await clock.advance(2.5 * MINUTE_MS - 1);
  expect(look()).toEqual({ [PIPELINE]: true });
  await clock.advance(1);
  expect(look()).toEqual({});
  end('Delivered', 1);
  expect(look()).toEqual({ [PIPELINE]: false });
  await clock.advance(5 * MINUTE_MS);
  expect(look()).toEqual({});
});
