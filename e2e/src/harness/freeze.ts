import { childrenOf } from './processes';

/**
 * Stops a process and its children where they are: connections stay, nothing answers. The parent is stopped before its children
 * are listed: it starts none any more, and one that ends meanwhile keeps its process id until the parent goes on.
 * @returns lets them go on.
 */
export const freeze = (pid: number): (() => void) => {
  process.kill(pid, 'SIGSTOP');
  const stopped = childrenOf(pid);
  for (const each of stopped) process.kill(each, 'SIGSTOP');
  return () => {
    for (const each of [...stopped, pid]) process.kill(each, 'SIGCONT');
  };
};
