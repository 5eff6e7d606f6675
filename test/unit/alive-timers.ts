/** How many timers of Node keep the process alive now. */
export function aliveTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
