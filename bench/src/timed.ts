/** Milliseconds of requests that are made one after the other, the shortest first. */
export const timed = async (
  count: number,
  request: (nth: number) => Promise<unknown>,
): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const startMs = performance.now();
    await request(nth);
    times.push(performance.now() - startMs);
  }
  return times.sort((one, other) => one - other);
};
