/** Number of rounds of a figure that varies with other load of the machine; its median is used. */
export const ROUNDS = 5;

/** Measures one round after the other. */
export const inRounds = async <Result>(measure: () => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = [];
  for (let round = 0; round < ROUNDS; round += 1) results.push(await measure());
  return results;
};
