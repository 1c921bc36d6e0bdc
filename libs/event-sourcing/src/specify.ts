import type { Decider } from './decider';

/** The part of the test runner's `expect` that is used here; declared so that the library does not depend on one. */
interface Expectation {
  toEqual(expected: unknown): void;
  toThrow(expected: unknown): void;
}
interface Expect {
  (actual: unknown): Expectation;
  objectContaining(expected: Record<string, unknown>): unknown;
}
declare const expect: Expect;

/** Checks a rule of a decider: `given(facts).when(command).then(facts)`. Uses no store. */
export const specify = <State, Command, Fact>({
  initial,
  decide,
  evolve,
}: Decider<State, Command, Fact>) => ({
  given: (...past: readonly Fact[]) => ({
    when: (command: Command) => {
      const outcome = (): Fact[] => decide(command, past.reduce(evolve, initial));
      return {
        then: (...facts: readonly Fact[]): void => {
          expect(outcome()).toEqual(facts);
        },
        thenNothing: (): void => {
          expect(outcome()).toEqual([]);
        },
        thenRefused: (code: string): void => {
          expect(outcome).toThrow(expect.objectContaining({ code }));
        },
      };
    },
  }),
});
