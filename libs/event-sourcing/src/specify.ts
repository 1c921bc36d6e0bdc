import type { Decider } from './decider';

/** What the test runner brings; named here so that the library does not depend on one. */
interface Expectation {
  toEqual(expected: unknown): void;
  toThrow(expected: unknown): void;
}
interface Expect {
  (actual: unknown): Expectation;
  objectContaining(expected: Record<string, unknown>): unknown;
}
declare const expect: Expect;

/** Reads as the rule that it checks: `given(past).when(command).then(facts)`. Never touches a store. */
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
