import type { Batch } from './batch';

/** Each node goes to the smallest of itself and its neighbours. */
const firstLabels = (edges: string): string => `
  SELECT NODE, MIN(LABEL) FROM (
    SELECT ONE AS NODE, ONE AS LABEL FROM ${edges} UNION ALL SELECT OTHER, ONE FROM ${edges}) AS near GROUP BY NODE`;

/**
 * A statement of one round: the label of a node, of its label, and of its neighbours, is followed by one more step, and the
 * smallest one taken by the node, and by the node that is its label.
 */
const goOn = (labels: string, edges: string): string => `
  UPDATE ${labels} AS l SET LABEL = next.LABEL FROM (
    WITH up AS (
      SELECT a.NODE, a.LABEL, b.LABEL AS ROOT FROM ${labels} AS a JOIN ${labels} AS b ON b.NODE = a.LABEL),
    near AS (
      SELECT e.NODE, MIN(u.ROOT) AS ROOT
      FROM (SELECT ONE AS NODE, OTHER AS NEIGHBOUR FROM ${edges} UNION ALL SELECT OTHER, ONE FROM ${edges}) AS e
      JOIN up AS u ON u.NODE = e.NEIGHBOUR GROUP BY e.NODE)
    SELECT NODE, MIN(ROOT) AS LABEL
    FROM (SELECT NODE, ROOT FROM up
          UNION ALL SELECT NODE, ROOT FROM near
          UNION ALL SELECT u.LABEL, n.ROOT FROM near AS n JOIN up AS u ON u.NODE = n.NODE) AS known
    GROUP BY NODE) AS next
  WHERE next.NODE = l.NODE AND next.LABEL < l.LABEL`;

/**
 * Finds the groups of nodes that are connected, each named by its smallest node. A round is one statement, whatever the batch,
 * and whoever is next to the smallest node needs one that changes nothing. Labels only become smaller, and stay when all of a
 * group have the same. Way that was gone is doubled, and groups join others as a whole: so rounds are few.
 *
 * @returns how many rounds there were.
 */
export const connectNodes = async (batch: Batch): Promise<number> => {
  const { edges, labels } = batch.tables;
  if ((await batch.fill('labels', firstLabels(edges))) === 0) return 0;
  let rounds = 1;
  while ((await batch.write(goOn(labels, edges))) > 0) rounds += 1;
  return rounds;
};
