import { childrenOf } from './processes';

/**
 * Stops a process and its children: connections stay open, nothing answers. The parent is stopped before its children
 * are listed, so that it starts no more, and a child that ends meanwhile keeps its process id until the parent
 * continues.
 * @returns a function that continues them.
 */
export const freeze = (pid: number): (() => void) => {
  process.kill(pid, 'SIGSTOP');
  const stopped = childrenOf(pid);
  for (const each of stopped) process.kill(each, 'SIGSTOP');
  return () => {
    for (const each of [...stopped, pid]) go(each);
  };
};

/** One that was killed meanwhile needs nothing. */
const go = (pid: number): void => {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
