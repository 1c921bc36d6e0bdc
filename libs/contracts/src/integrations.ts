/** The `integrations` member of an event: names of destinations, and `All`, to whether they may have it. */
export type Integrations = Readonly<Record<string, boolean>>;

/** Which gateway has accepted an event, and by which route. */
export interface Acceptance {
  /** Identifies the process: 1 to 32 letters, digits, `-` and `_`. */
  readonly gateway: string;
  /** Pattern of the path, without keys, such as `/v1/batch` or `/v1/webhooks/:key`. */
  readonly route: string;
}

/** What is recorded of the way that an event has come, beside the choices of the event. */
export interface Provenance {
  /** W3C `traceparent` of the span that appended the event; absent: its request was not sampled. */
  readonly traceparent?: string;
  /** Absent: a gateway of an earlier version has accepted it. */
  readonly acceptedBy?: Acceptance;
}

/** Begin the names of the members that hold it. No destination is called so. */
const TRACEPARENT = 'traceparent=';
const ACCEPTED_BY = 'accepted=';

const VALID_TRACEPARENT = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const VALID_ACCEPTANCE = /^([\w-]{1,32}) (\/[\w/:-]{0,100})$/;

/** Whether an event may name a destination so: names of members with a provenance are reserved. */
export const isNameOfDestination = (name: string): boolean =>
  !name.startsWith(TRACEPARENT) && !name.startsWith(ACCEPTED_BY);

/**
 * Adds a provenance as members of its own. Readers of before they were invented take them for destinations that they do not
 * know, and ignore them: heads of another length or form they could not read.
 */
export const withProvenance = (
  integrations: Integrations | null,
  { traceparent, acceptedBy }: Provenance,
): Integrations | null => {
  if (traceparent === undefined && acceptedBy === undefined) return integrations;
  const all: Record<string, boolean> = { ...integrations };
  if (traceparent !== undefined) all[TRACEPARENT + traceparent] = true;
  if (acceptedBy !== undefined)
    all[`${ACCEPTED_BY}${acceptedBy.gateway} ${acceptedBy.route}`] = true;
  return all;
};

const acceptanceIn = (text: string): Acceptance | undefined => {
  const [, gateway, route] = VALID_ACCEPTANCE.exec(text) ?? [];
  return gateway === undefined || route === undefined ? undefined : { gateway, route };
};

const provenanceIn = (name: string): Provenance => {
  if (name.startsWith(TRACEPARENT)) {
    const traceparent = name.slice(TRACEPARENT.length);
    return VALID_TRACEPARENT.test(traceparent) ? { traceparent } : {};
  }
  const acceptedBy = acceptanceIn(name.slice(ACCEPTED_BY.length));
  return acceptedBy === undefined ? {} : { acceptedBy };
};

/** Separates the provenance from the choices of the event. What is not valid of it is left out. */
export const separated = (
  all: Integrations,
): Provenance & { readonly integrations: Integrations | null } => {
  let provenance: Provenance = {};
  const choices: [string, boolean][] = [];
  let isMixed = false;
  for (const [name, isWanted] of Object.entries(all))
    if (isNameOfDestination(name)) choices.push([name, isWanted]);
    else {
      isMixed = true;
      provenance = { ...provenance, ...provenanceIn(name) };
    }
  if (!isMixed) return { integrations: all };
  return {
    ...provenance,
    integrations: choices.length === 0 ? null : Object.fromEntries(choices),
  };
};
