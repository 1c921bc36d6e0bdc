export { createRunExecutor, type RunExecutorDependencies } from './create-run-executor';
