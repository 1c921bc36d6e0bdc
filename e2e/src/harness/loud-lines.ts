import type { ServiceProcess } from './service-process';

/**
 * Lines of the output of a process that are not log lines of level info or below: warnings, errors, and what Node
 * itself prints, such as a MaxListenersExceededWarning.
 *
 * @param from length of its output before the lines in question; default: all lines.
 */
export const loudLines = ({ output }: ServiceProcess, from = 0): string[] =>
  output
    .slice(from)
    .split('\n')
    .filter((line) => line !== '' && !/^\{"level":"(info|debug|trace)"/.test(line));
