/** Prints facts of a test, also when it passes. */
export const say = (form: string, facts: object): void => {
  process.stdout.write(`${form}: ${JSON.stringify(facts)}\n`);
};
