/** The `integrations` member of an event: names of destinations, and `All`, to whether they may have it. */
export type Integrations = Readonly<Record<string, boolean>>;

/** Begins the name of the member that holds a trace context. No destination is called so. */
const PREFIX = 'traceparent=';

const TRACEPARENT = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Whether an event may name a destination so: names of members with a trace context are reserved. */
export const isNameOfDestination = (name: string): boolean => !name.startsWith(PREFIX);

/**
 * Adds a trace context as a member of its own. Readers of before it was invented take it for a destination that they do not
 * know, and ignore it: heads of another length or form they could not read.
 */
export const withTraceparent = (
  integrations: Integrations | null,
  traceparent: string | undefined,
): Integrations | null =>
  traceparent === undefined ? integrations : { ...integrations, [PREFIX + traceparent]: true };

/**
 * Separates the trace context from the choices of the event.
 *
 * @returns undefined when there is none. A context that is not valid is left out.
 */
export const traceparentIn = (
  integrations: Integrations,
): { readonly integrations: Integrations | null; readonly traceparent?: string } | undefined => {
  for (const name in integrations) {
    if (isNameOfDestination(name)) continue;
    const traceparent = name.slice(PREFIX.length);
    const choices = Object.entries(integrations).filter(([each]) => isNameOfDestination(each));
    return {
      integrations: choices.length === 0 ? null : Object.fromEntries(choices),
      ...(TRACEPARENT.test(traceparent) && { traceparent }),
    };
  }
  return undefined;
};
