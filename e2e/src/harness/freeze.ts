import { childrenOf } from './processes';

/** Stops a process and its children where they are: connections stay, nothing answers. @returns lets them go on. */
export const freeze = (pid: number): (() => void) => {
  const stopped = [...childrenOf(pid), pid];
  for (const each of stopped) process.kill(each, 'SIGSTOP');
  return () => {
    for (const each of stopped) process.kill(each, 'SIGCONT');
  };
};
