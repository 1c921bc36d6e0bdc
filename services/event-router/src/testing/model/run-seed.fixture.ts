import { scenario } from './scenario.fixture';
import { verdict } from './verdict.fixture';
import { World, type WorldOptions } from './world.fixture';

/**
 * Runs the model once; the same seed gives the same run.
 *
 * @returns the faults; empty when there are none.
 */
export const runSeed = async (options: WorldOptions): Promise<readonly string[]> => {
  const world = new World(options);
  const { random } = Math;
  Math.random = () => world.simulation.random();
  try {
    await scenario(world);
    return await verdict(world);
  } catch (error) {
    return [String(error)];
  } finally {
    Math.random = random;
  }
};
