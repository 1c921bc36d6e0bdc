import type { LinkView } from '@penstock/contracts';
import type { LinkedIdentity, LinksPage, ProfileLink } from '@penstock/warehouses';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';

const identityOf = ({ recordId, anonymous, connection, pipeline }: LinkedIdentity) => ({
  ...(anonymous ? { anonymousIds: [recordId] } : { userId: recordId }),
  connection,
  pipeline,
});

const viewOf = ({ rule, identifier, value, identities, count }: ProfileLink): LinkView => ({
  ...{ rule, identifier, value, count },
  identities: identities.map(identityOf),
});

/** As many links as fit into an answer, and the place of the last one when others follow. */
export const shownLinks = ({
  links,
  isLast,
}: LinksPage): {
  readonly links: readonly LinkView[];
  readonly next: string | undefined;
} => {
  const views = links.map((link) => ({ place: link.place, view: viewOf(link) }));
  const { items, rest } = fitting(views, ({ view }) => view, MAX_SEALED_BYTES);
  const next = rest === undefined && isLast ? undefined : items.at(-1)?.place;
  return { links: items.map(({ view }) => view), next };
};
