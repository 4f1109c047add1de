/** A write that ends between two looks at the time when it began, as any write may. */
final class EndingWrite implements Connections.Open {
    private volatile boolean wasLookedAt;

    public static void main(String[] args) throws InterruptedException {
        EndingWrite write = new EndingWrite();
        Connections connections = new Connections();
        connections.add(write);
        connections.limitWrites();
        while (!write.wasLookedAt) {
            Thread.sleep(5);
        }
        // A second look would follow at once.
        Thread.sleep(100);
        System.out.println("it was looked at");
    }

    @Override
    public long writingSince() {
        if (wasLookedAt) {
            return 0;
        }
        wasLookedAt = true;
        return System.nanoTime();
    }

    @Override
    public void end() {
        System.out.println("it was cut off");
    }

    @Override
    public void endIfIdle() {}
}
