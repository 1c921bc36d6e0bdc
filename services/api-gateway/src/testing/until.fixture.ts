/** Resolves once the condition holds; rejects after ten seconds. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const deadlineMs = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
