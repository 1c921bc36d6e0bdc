import type { MessageLog, NewMessage } from '@penstock/messaging';

type Append = (topic: string, messages: readonly NewMessage[]) => Promise<void>;

/** The same log with work before each append, which does not happen when the work fails. */
export const withBefore = (log: MessageLog, before: Append): MessageLog =>
  Object.assign(Object.create(log) as MessageLog, {
    append: async (...args: Parameters<MessageLog['append']>) => {
      await before(args[0], args[1]);
      return log.append(...args);
    },
  });

/** The same log with work after each append, which rejects when the work fails, though the messages are on the log. */
export const withAfter = (log: MessageLog, after: Append): MessageLog =>
  Object.assign(Object.create(log) as MessageLog, {
    append: async (...args: Parameters<MessageLog['append']>) => {
      const positions = await log.append(...args);
      await after(args[0], args[1]);
      return positions;
    },
  });
