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

/** The same log with a prefix before its topics, so that specs can share a broker. */
export const withPrefix = (log: MessageLog, prefix: string): MessageLog =>
  Object.assign(Object.create(log) as MessageLog, {
    ensureTopics: (topics: Parameters<MessageLog['ensureTopics']>[0]) =>
      log.ensureTopics(topics.map((topic) => ({ ...topic, name: prefix + topic.name }))),
    partitionsOf: (topic: string) => log.partitionsOf(prefix + topic),
    append: (topic: string, ...rest: [readonly NewMessage[]]) =>
      log.append(prefix + topic, ...rest),
    subscribe: (options: Parameters<MessageLog['subscribe']>[0]) =>
      log.subscribe({ ...options, topic: prefix + options.topic, group: prefix + options.group }),
    follow: (options: Parameters<MessageLog['follow']>[0]) =>
      log.follow({ ...options, topic: prefix + options.topic }),
    endOffsets: (topic: string) => log.endOffsets(prefix + topic),
    close: () => log.close(),
  });
