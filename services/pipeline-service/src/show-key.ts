/** Prints an admin key on a line of its own. It is stored nowhere: nobody can be shown it again. */
export const showKey = (key: string): void => {
  process.stdout.write(`API key, shown this once: ${key}\n`);
};
