import {
  type ProfileFact,
  profileOf,
  type PublishedProfileFact,
  type WorkspaceId,
} from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import fc from 'fast-check';
import { publishProfileFacts } from './publish-profile-facts';

const WORKSPACE = 'workspace0000001' as WorkspaceId;

const factOf = (n: number): ProfileFact =>
  n % 2 === 0
    ? { type: 'ProfileCreated', id: `profile${n % 7}`, identities: [String(n)] }
    : { type: 'ProfileDeleted', id: `profile${n % 7}`, reason: 'removed' };

/** An outbox and a log that fail before or after they have done what was asked, as it is planned. */
class Stage {
  readonly appended: NewMessage[] = [];
  private outbox: { number: string; atMs: number; fact: ProfileFact }[] = [];
  private recorded = 0;

  constructor(private readonly plan: ('before' | 'after' | 'done')[]) {}

  record(count: number): void {
    for (let n = 0; n < count; n += 1) {
      this.recorded += 1;
      const number = String(3 * this.recorded);
      this.outbox.push({ number, atMs: 1_000 * this.recorded, fact: factOf(this.recorded) });
    }
  }

  publish(): Promise<void> {
    const log = {
      append: (_: string, messages: readonly NewMessage[]) =>
        this.planned(() => this.appended.push(...messages)),
    };
    const resolver = {
      facts: (limit: number) => Promise.resolve(this.outbox.slice(0, limit)),
      forgetFacts: (upTo: string) =>
        this.planned(() => {
          this.outbox = this.outbox.filter(({ number }) => Number(number) > Number(upTo));
        }),
    };
    return publishProfileFacts(log, resolver, WORKSPACE);
  }

  private planned(work: () => void): Promise<never> {
    const step = this.plan.shift() ?? 'done';
    if (step !== 'before') work();
    return (
      step === 'done' ? Promise.resolve() : Promise.reject(new Error(step))
    ) as Promise<never>;
  }
}

it('publishes every fact at least once, in order but for repetitions, whatever fails in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('before', 'after', 'done', 'done'), { maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 1, maxLength: 3 }),
      async (plan, counts) => {
        const stage = new Stage(plan);
        for (const count of counts) {
          stage.record(count);
          await stage.publish().catch(() => undefined);
        }
        while (
          !(await stage.publish().then(
            () => true,
            () => false,
          ))
        );
        // Compared as texts: that costs a tenth, and there are thousands.
        const seen: string[] = [];
        const wrongKeys: unknown[] = [];
        let first: string | undefined;
        let last = 0;
        for (const { key, value } of stage.appended) {
          const published = JSON.parse(value ?? '') as PublishedProfileFact;
          if (key !== profileOf(published.fact)) wrongKeys.push([key, published]);
          // What a reader keeps who drops what it has seen.
          if (Number(published.number) <= last) continue;
          last = Number(published.number);
          first ??= published.id;
          seen.push(JSON.stringify(published.fact));
        }
        const total = counts.reduce((sum, count) => sum + count, 0);
        expect(wrongKeys).toEqual([]);
        expect(seen.join('\n')).toBe(
          Array.from({ length: total }, (_, n) => JSON.stringify(factOf(n + 1))).join('\n'),
        );
        expect(first ?? `${WORKSPACE}:3`).toBe(`${WORKSPACE}:3`);
      },
    ),
    { numRuns: 50 },
  );
});
