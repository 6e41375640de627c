package console

func (c *Console) adjustmentRoutes() {}
