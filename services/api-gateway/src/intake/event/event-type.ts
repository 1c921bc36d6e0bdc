/** The types of events. Source: the API document, "Event". */
export const EVENT_TYPES = ['alias', 'group', 'identify', 'page', 'screen', 'track'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

export const isEventType = (text: string): text is EventType => KNOWN.has(text);
