/** How often a figure that moves with whatever else the machine does is taken; its median counts. */
export const ROUNDS = 5;

/** Measures one round after the other. */
export const inRounds = async <Result>(measure: () => Promise<Result>): Promise<Result[]> => {
  const results: Result[] = [];
  for (let round = 0; round < ROUNDS; round += 1) results.push(await measure());
  return results;
};
